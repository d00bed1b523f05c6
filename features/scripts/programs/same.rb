require 'open3'

def svc(*args, failure: false)
  text, status = Open3.capture2('svc', *args)
  raise "svc #{args.first}: #{status.exitstatus}" unless failure || status.success?

  [text.chomp, status.exitstatus]
end

$stdout.sync = true
puts 'a pass begins'
built, = svc('step', 'build', '--label', 'Build it', '--', 'sh', '-c', 'echo ran >> {folder}/commands; echo built')
(1..2).each do |n|
  svc('step', 'round', '--', 'sh', '-c', "echo ran >> {folder}/commands; echo 'round #{n} of #{built}'")
end
_, code = svc('step', 'fragile', '--', 'sh', '-c', 'echo ran >> {folder}/commands; exit 7', failure: true)
svc('sleep', '50ms')
approval, = svc('wait-signal', 'approval')
svc('state', 'set', 'approval', approval)
svc('step', 'use', '--', 'printf', '%s after %s', approval, code.to_s)
svc('output', 'set', "built=#{built}", "code:=#{code}")
svc('annotate', '# Built')
