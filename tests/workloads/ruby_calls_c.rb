# SPDX-License-Identifier: GPL-2.0-only
# Runs on Ruby 3: methods that are written in C, of many kinds, also such that C calls, each of which calls the next one back, and the last of
# which works. Prints the names of the stack as Ruby itself has it, outermost first, then "ready".
class Stays
  def initialize(&rest)
    instance_exec(&rest)
  end

  alias_method :other, :instance_exec
end

def shown
  return if $shown

  $shown = true
  puts caller_locations(1).reverse.map(&:label).join(";")
  puts "ready"
  $stdout.flush
end

def spin
  shown
  x = 1
  i = 0
  while i < 20_000
    x = (x * 31 + 7) & 0xfffff
    i += 1
  end
  x
end

def in_hash
  { 1 => 2 }.each_pair { |_, _| "a".gsub("a") { catch(:done) { spin }.to_s } }
end

def in_array
  (1..1).each { |_| [2].map { Stays.new { other { public_send(:method, :in_hash).unbind.bind_call(self) } } } }
end

def in_numbers
  1.times { [1].inject(0) { |_, _| in_array } }
end

loop { [:in_numbers].each { |name| __send__(name) } }
