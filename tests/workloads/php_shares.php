<?php
// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs on PHP 8: 70 and 30 % of the CPU in two functions, below a recursion, a generator, a sort's callback,
 * a closure and a method, and a wait in each round. Usage: php_shares.php DEPTH; prints "ready".
 */
const TURNS = 20000;

function hot_70()
{
	$x = 1;
	for ($i = 0; $i < 7 * TURNS; $i++)
		$x = ($x * 31 + 7) & 0xfffff;
	return $x;
}

function hot_30()
{
	$x = 1;
	for ($i = 0; $i < 3 * TURNS; $i++)
		$x = ($x * 31 + 7) & 0xfffff;
	return $x;
}

class Caller
{
	public function round($which)
	{
		return $which ? hot_70() : hot_30();
	}

	public static function by_sort($caller)
	{
		$both = [1, 0];
		usort($both, function ($a, $b) use ($caller) {
			$caller->round($a);
			$caller->round($b);
			return $a - $b;
		});
		return $both;
	}
}

function waits()
{
	usleep(2000);
}

function produce()
{
	for (;;) {
		yield Caller::by_sort(new Caller());
		waits();
	}
}

function descend($n)
{
	if ($n)
		return descend($n - 1);
	foreach (produce() as $ignored)
		;
}

echo "ready\n";
descend((int) $argv[1]);
