-- Decides on one group of an ask: its windows and, maybe, a slot.
--
-- KEYS   the windows, then the slot if there is one
-- ARGV   how many windows; for each of them its cap, its length and step in
--        microseconds, and for how many milliseconds to keep it; for the slot its
--        cap, the lease and the longest lease of anybody in microseconds, for how
--        many milliseconds to keep it, and the id of the new holder
-- reply  the time in microseconds; 1 if the request is admitted; 1 if the slot is
--        full; for each window how many requests count in it, and the
--        microseconds until it has room or, if it has, until it has more
--
-- A window is a list of runs, oldest first. A run is the requests admitted in the
-- same step of time: when the step ends, how many were admitted before the run
-- since the list began, and how many in it. They leave the window together, one
-- length after the end of their step, so that nothing leaves early. Only the two
-- ends of the list are touched, however long it is.
--
-- This runs for every request. What takes time here is long texts, numbers as
-- arguments of commands, tables and functions, so there are few of them.
local call, pack, unpack = redis.call, struct.pack, struct.unpack

local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local windows = tonumber(ARGV[1])
local newest = {false, false}
local reply = {now, 1, 0, 0, 0, 0, 0}

-- Bring every window up to date. Until the end the reply has, in the place of the
-- time until there is room, the end of the oldest run, or false.
for i = 1, windows do
  local key, a = KEYS[i], 4 * i - 2
  local length = tonumber(ARGV[a + 1])
  local used, first = 0, false
  local last = call('LINDEX', key, '-1')
  if last then
    local step = tonumber(ARGV[a + 2])
    local stop = now - now % step + step
    local ends, before, n = unpack('>ddd', last)
    if ends > stop then
      -- The server's clock was set back. What counts in the future is counted as
      -- admitted now, so that it leaves one length from now at the latest.
      local begin, sum = before, 0
      while last and ends > stop do
        call('RPOP', key)
        begin, sum = before, sum + n
        last = call('LINDEX', key, '-1')
        if last then
          ends, before, n = unpack('>ddd', last)
        end
      end
      ends, before, n = stop, begin, sum
      last = pack('>ddd', ends, before, n)
      call('RPUSH', key, last)
      call('PEXPIRE', key, ARGV[a + 3])
    end
    if ends + length <= now then
      call('DEL', key)
      last = false
    else
      local begin
      first, begin = unpack('>ddd', call('LINDEX', key, '0'))
      while first + length <= now do
        call('LPOP', key)
        first, begin = unpack('>ddd', call('LINDEX', key, '0'))
      end
      used = before + n - begin
    end
  end
  if used >= tonumber(ARGV[a]) then
    reply[2] = 0
  end
  newest[i], reply[2 * i + 2], reply[2 * i + 3] = last, used, first
end

local slot, s = KEYS[windows + 1], 4 * windows + 2
if slot then
  -- A lease longer than the longest was given before the clock was set back. Its
  -- holder, if there still is one, renews it.
  call('ZREMRANGEBYSCORE', slot, '-inf', now)
  call('ZREMRANGEBYSCORE', slot, now + ARGV[s + 2], '+inf')
  if call('ZCARD', slot) >= tonumber(ARGV[s]) then
    reply[2], reply[3] = 0, 1
  end
end

if reply[2] == 1 then
  for i = 1, windows do
    local key, a = KEYS[i], 4 * i - 2
    local step = tonumber(ARGV[a + 2])
    local stop = now - now % step + step
    local ends, before, n = 0, 0, 0
    if newest[i] then
      ends, before, n = unpack('>ddd', newest[i])
    end
    if ends == stop then
      call('LSET', key, '-1', pack('>ddd', stop, before, n + 1))
    else
      call('RPUSH', key, pack('>ddd', stop, before + n, 1))
      call('PEXPIRE', key, ARGV[a + 3])
    end
    reply[2 * i + 2] = reply[2 * i + 2] + 1
    reply[2 * i + 3] = reply[2 * i + 3] or stop
  end
  if slot then
    call('ZADD', slot, now + ARGV[s + 1], ARGV[s + 4])
    call('PEXPIRE', slot, ARGV[s + 3])
  end
end

for i = 1, windows do
  local first, excess = reply[2 * i + 3], reply[2 * i + 2] - ARGV[4 * i - 2] + 1
  if first and excess > 1 then
    -- The cap was lowered: several have to leave before there is room.
    local runs = call('LRANGE', KEYS[i], '0', '-1')
    local _, begin = unpack('>ddd', runs[1])
    for _, run in ipairs(runs) do
      local ends, before, n = unpack('>ddd', run)
      first = ends
      if before + n - begin >= excess then
        break
      end
    end
  end
  reply[2 * i + 3] = first and first + ARGV[4 * i - 1] - now or 0
end
return reply
