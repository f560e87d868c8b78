# SPDX-License-Identifier: GPL-2.0-only
# Runs on Ruby 3: methods of classes, modules, single objects and classes without a name, each called by the one
# before, the last of which works. Prints the names that Ruby itself gives to them, then "ready".
def spin
  x = 1
  i = 0
  while i < 20_000
    x = (x * 31 + 7) & 0xfffff
    i += 1
  end
  x
end

module Mixed
  def mixes(&rest)
    rest.call
  end

  def self.of_module(&rest)
    rest.call
  end
end

class Base
  def inherited(&rest)
    rest.call
  end
end

module Outer
  class Inner < Base
    include Mixed

    def self.of_class(&rest)
      rest.call
    end

    def own(&rest)
      $~ = nil # needs variables of its own
      "x" =~ /x/
      rest.call
    end

    alias other own
  end
end

class String
  def added(&rest)
    rest.call
  end
end

nameless = Class.new do
  def unnamed(&rest)
    rest.call
  end
end
single = Object.new
def single.alone(&rest)
  rest.call
end

inner = Outer::Inner.new
METHODS = [
  method(:spin).unbind, Mixed.instance_method(:mixes), Mixed.method(:of_module), Base.instance_method(:inherited),
  Outer::Inner.method(:of_class), Outer::Inner.instance_method(:own), String.instance_method(:added),
].freeze

def name_of(method)
  owner = method.owner
  single = owner.singleton_class?
  "#{single ? owner.inspect[/\A#<Class:(.*)>\z/, 1] : owner.name}#{single ? '.' : '#'}#{method.name}"
end

puts METHODS.map { |m| name_of(m) }.join(" ")
puts "ready"
$stdout.flush
loop do
  Outer::Inner.of_class do
    inner.own do
      inner.other do
        inner.inherited do
          inner.mixes do
            Mixed.of_module do
              "".added { nameless.new.unnamed { single.alone { spin } } }
            end
          end
        end
      end
    end
  end
end
