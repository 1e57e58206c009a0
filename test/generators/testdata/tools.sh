# What the scripts of the generators share. Each runs in an empty directory that has its files, with
#   TOOLS      the directory of the generators, which stays
#   DOCUMENT   the description of the API
#   URL TOKEN  a new service with an administrator
# Exit code 77: the generator cannot be had here.
set -euo pipefail
mkdir -p "$TOOLS"

# once NAME COMMAND... runs a command that installs something, unless it has done so with these files.
once() {
	local name=$1 stamp
	shift
	stamp=$TOOLS/$name.$({ echo "$@" && cat -- package.json requirements.txt 2>/dev/null || true; } | cksum | cut -d' ' -f1)
	exec 9>"$TOOLS/$name.lock" && flock 9
	[ -e "$stamp" ] || { "$@" >"$TOOLS/$name.log" 2>&1 && touch "$stamp"; } || { tail -n 5 "$TOOLS/$name.log" && exit 77; }
	exec 9>&-
}

need() { for program in "$@"; do command -v "$program" >/dev/null || { echo "there is no $program" && exit 77; }; done; }

install_node() { mkdir -p "$TOOLS/$1" && cp package.json "$TOOLS/$1" && npm install --prefix "$TOOLS/$1" --no-audit --no-fund --no-package-lock; }

# node_tools NAME has what package.json lists in a directory of this name.
node_tools() {
	need node npm
	once "$1" install_node "$1"
	PATH=$TOOLS/$1/node_modules/.bin:$PATH
	ln -s "$TOOLS/$1/node_modules" node_modules
}

# typescript checks a program and all that it imports, and runs it.
typescript() {
	tsc --noEmit --strict --target es2022 --module esnext --moduleResolution bundler --lib es2022,dom,dom.iterable --types node "$1"
	esbuild "$1" --bundle --platform=node --format=esm --log-level=error --outfile=main.mjs
	node main.mjs
}

install_python() { python3 -m venv "$TOOLS/python" && "$TOOLS/python/bin/pip" install -r requirements.txt; }

python_tools() {
	need python3
	once python install_python
	PATH=$TOOLS/python/bin:$PATH
}

# go_tool PACKAGE@VERSION
go_tool() {
	once "$(basename "${1%%@*}")" env GOBIN="$TOOLS/go" go install "$1"
	PATH=$TOOLS/go:$PATH
}

OPENAPI_GENERATOR=7.17.0

# The jar is on Maven Central.
install_openapi_generator() {
	mvn --batch-mode org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
		-Dartifact=org.openapitools:openapi-generator-cli:"$1" -DoutputDirectory="$TOOLS"
}

# openapi_generator GENERATOR [OPTION]... makes a client in the directory api.
openapi_generator() {
	need java mvn
	(cd "$TOOLS" && once openapi-generator install_openapi_generator $OPENAPI_GENERATOR)
	java -jar "$TOOLS/openapi-generator-cli-$OPENAPI_GENERATOR.jar" generate -g "$1" -i "$DOCUMENT" -o api "${@:2}" >&2
}
