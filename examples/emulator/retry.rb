# Ruby without gems: a program that repeats after 429, tested against `npx easel emulator`.
require 'json'
require 'net/http'

URL_, KEY, ADMIN = ENV.values_at('EASEL_URL', 'EASEL_API_KEY', 'EASEL_ADMIN_TOKEN')

def call(method, path, body = nil, token = KEY)
  uri = URI(URL_ + path)
  request = Net::HTTP.const_get(method.capitalize).new(uri)
  request['Authorization'] = "Bearer #{token}"
  request['Content-Type'] = 'application/json'
  request.body = JSON.generate(body) unless body.nil?
  Net::HTTP.start(uri.host, uri.port) { |http| http.request(request) }
end

# The program under test.
def track(attributes)
  loop do
    answer = call('post', '/users/track', { attributes: attributes })
    return answer.code.to_i unless answer.code == '429'
    sleep answer['Retry-After'].to_i
  end
end

call('post', '/emulator/reset', {}, ADMIN)
call('post', '/emulator/faults', { kind: 'rate_limit', path: '/users/track' }, ADMIN)
raise 'not tracked' unless track([{ external_id: 'ada', plan: 'gold' }]) == 201
expected = { path: '/users/track', body: { attributes: [{ plan: 'gold' }] }, count: 2 }
answer = JSON.parse(call('post', '/emulator/requests/expect', expected, ADMIN).body)
raise answer['message'] unless answer['requests']
puts JSON.generate(answer['requests'].map { |request| request['status'] }).gsub(',', ', ')
