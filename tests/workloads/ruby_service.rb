# SPDX-License-Identifier: GPL-2.0-only
# A web service under load, on WEBrick: parses what it is sent, sorts, renders a template, compresses, answers; 70 and
# 30 % of what two functions take are theirs. A process of its own sends the requests, and ends with this one. Prints
# "ready".
require "erb"
require "json"
require "net/http"
require "webrick"
require "zlib"

ITEMS = Array.new(200) { |i| { name: "item #{(97 + i % 26).chr}", price: i * 7919 % 1000 / 10.0 } }
PAGE = ERB.new("<ul><% items.each do |i| %><li><%= i['name'] %>: <%= format('%.2f', i['price']) %></li><% end %></ul>")
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

class Answer < WEBrick::HTTPServlet::AbstractServlet
  PAGE.def_method(self, "render(items)")

  def do_POST(request, response)
    items = JSON.parse(request.body)["items"].sort_by { |i| [i["price"], i["name"].upcase] }
    hot_70
    hot_30
    response.body = Zlib::Deflate.deflate(render(items))
  end
end

def asks(port, of)
  body = JSON.generate(items: ITEMS)
  Net::HTTP.start("127.0.0.1", port) do |http|
    while Process.ppid == of
      page = Zlib::Inflate.inflate(http.post("/", body).body)
      raise page unless page.start_with?("<ul>")
    end
  end
end

log = WEBrick::Log.new($stderr, WEBrick::Log::FATAL)
server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: 0, Logger: log, AccessLog: [])
server.mount("/", Answer)
here = Process.pid
fork { asks(server.config[:Port], here) }
trap("TERM") { exit! }
puts "ready"
$stdout.flush
server.start
