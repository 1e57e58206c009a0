-- Renews the lease of one holder of a slot, and takes it again if it was lost.
--
-- KEYS   the slot
-- ARGV   the lease in microseconds, for how many milliseconds to keep the slot, and
--        the id of the holder
local time = redis.call('TIME')
redis.call('ZADD', KEYS[1], time[1] * 1000000 + time[2] + ARGV[1], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {1}
