package main

import (
	"context"
	"errors"
	"strings"

	"github.com/redis/go-redis/v9"
)

func redisServer() *server {
	return &server{
		name:     "Redis",
		variable: "ORGD_TEST_REDIS_ADDR",
		image:    imageOf("ORGD_TEST_REDIS_IMAGE", "redis:7.0.15"),
		members:  1,
		command: func(port string) []string {
			return []string{"redis-server", "--bind", "127.0.0.1", "--port", port, "--save", ""}
		},
		join: func(ctx context.Context, hosts []string) error {
			_, err := askRedis(ctx, hosts[0])
			return err
		},
		at:  func(hosts []string) string { return hosts[0] },
		ask: askRedis,
	}
}

func askRedis(ctx context.Context, addr string) (version string, err error) {
	client := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1, DialerRetries: 1})
	defer client.Close() // nothing is left to lose
	info, err := client.Info(ctx, "server").Result()
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(info) {
		if version, ok := strings.CutPrefix(line, "redis_version:"); ok {
			return strings.TrimSpace(version), nil
		}
	}
	return "", errors.New("tells no version")
}
