#!/usr/bin/env bash
# Makes a container image of the HAProxy that is installed on this machine, with
# the libraries that it needs and nothing else, for machines that reach no
# registry. Prints its name as HAPROXY_IMAGE=NAME.
set -euo pipefail
image=orgd-test/haproxy:local
if ! docker image inspect "$image" >/dev/null 2>&1; then
	program=$(readlink -f "$(command -v haproxy)")
	root=$(mktemp -d)
	trap 'rm -rf "$root"' EXIT
	for file in "$program" $(ldd "$program" | grep -o '/[^ ]*'); do
		mkdir -p "$root$(dirname "$file")"
		cp -L "$file" "$root$file"
	done
	tar -C "$root" -c . | docker import \
		-c 'USER 65532' -c "ENTRYPOINT [\"$program\", \"-db\", \"-f\", \"/usr/local/etc/haproxy/haproxy.cfg\"]" - "$image" >/dev/null
fi
echo "HAPROXY_IMAGE=$image"
