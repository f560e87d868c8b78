# SPDX-License-Identifier: GPL-2.0-only
# Runs on Ruby 3: 70 and 30 % of the CPU in two functions, below a recursion, an enumerator's fiber or a method of
# C that calls back, a rescued exception and a method, and a wait in each round. Usage: ruby_shares.rb DEPTH HOW,
# which is main, thread or fiber: where it runs; prints "ready".
TURNS = 20_000

def spin(n)
  x = 1
  i = 0
  while i < n
    x = (x * 31 + 7) & 0xfffff
    i += 1
  end
  x
end

def hot_70
  spin(7 * TURNS)
end

def hot_30
  spin(3 * TURNS)
end

class Caller
  def round(which)
    which == 1 ? hot_70 : hot_30
  end

  def self.by_sort(caller)
    [0, 1].sort_by { |which| caller.round(which) }
  end
end

def fails
  raise ArgumentError, "as is meant"
rescue ArgumentError
  Caller.by_sort(Caller.new)
end

def waits
  sleep 0.002 # the line that is waited in
end

def produce
  loop do
    fails
    waits
  end
end

def descend(n)
  return descend(n - 1) if n > 0

  produce
end

puts "ready"
$stdout.flush
depth = ARGV[0].to_i
case ARGV[1]
when "thread" then Thread.new { descend(depth) }.join
when "fiber" then Fiber.new { descend(depth) }.resume
else descend(depth)
end
