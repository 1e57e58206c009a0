module orgd/client

go 1.26.0
