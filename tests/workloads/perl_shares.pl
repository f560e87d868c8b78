# SPDX-License-Identifier: GPL-2.0-only
# Runs on Perl 5: 70 and 30 % of the CPU in two functions, below a recursion, a function of C that calls back, a
# sort's function or its block, an eval and a method, and a wait in each round. Usage:
# perl_shares.pl DEPTH HOW, which is main or thread: where it runs; prints "ready".
use strict;
use warnings;
use threads;
use List::Util qw(first);

use constant TURNS => 20_000;

sub spin {
	my ($n) = @_;
	my $x = 1;
	for my $i (1 .. $n) {
		$x = ($x * 31 + 7) & 0xfffff;
	}
	return $x;
}

sub hot_70 {
	my $x = spin(7 * TURNS);
	return $x;
}

sub hot_30 {
	my $x = spin(3 * TURNS);
	return $x;
}

package Caller {
	sub new { return bless {}, shift }

	sub round {
		my ($self, $which) = @_;
		my $x = eval { $which ? main::hot_70() : main::hot_30() };
		return $x;
	}

	sub compare {
		my $caller = Caller->new;
		$caller->round($a);
		$caller->round($b);
		return $a <=> $b;
	}

	sub by_sort {
		my @both = sort compare (1, 0);
		return scalar @both;
	}

	sub by_block {
		my @both = sort { Caller->new->round($a); Caller->new->round($b); $a <=> $b } (1, 0);
		return scalar @both;
	}
}

sub waits {
	select undef, undef, undef, 0.002;
	return;
}

sub serve {
	my $found = first { Caller::by_sort() == 3 } 1;
	Caller::by_block();
	waits();
	return;
}

sub descend {
	my ($n) = @_;
	return descend($n - 1) if $n;
	serve() while 1;
	return;
}

$| = 1;
print "ready\n";
my ($depth, $how) = @ARGV;
if ($how eq 'thread') {
	threads->create(\&descend, $depth)->join;
} else {
	descend($depth);
}
