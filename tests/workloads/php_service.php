<?php
// SPDX-License-Identifier: GPL-2.0-only
// What PHP's own web server runs for each request (php -S ADDRESS:PORT php_service.php): parses what it is sent, sorts,
// renders, compresses, answers; 70 and 30 % of what two functions take are theirs.
const TURNS = 20000;

function spin(int $n): int
{
	$x = 1;
	for ($i = 0; $i < $n; $i++)
		$x = ($x * 31 + 7) & 0xfffff;
	return $x;
}

function hot_70(): int
{
	return spin(7 * TURNS);
}

function hot_30(): int
{
	return spin(3 * TURNS);
}

class Answer
{
	public function __construct(private array $items)
	{
	}

	public function sorted(): array
	{
		usort($this->items, fn($a, $b) => [$a['price'], $a['name']] <=> [$b['price'], $b['name']]);
		return $this->items;
	}

	public function render(): string
	{
		$rows = array_map(fn($i) => sprintf('<li>%s: %.2f</li>', htmlspecialchars($i['name']), $i['price']),
			$this->sorted());
		return '<ul>' . implode("\n", $rows) . '</ul>';
	}
}

$answer = new Answer(json_decode(file_get_contents('php://input'), true)['items']);
hot_70();
hot_30();
echo gzcompress($answer->render());
