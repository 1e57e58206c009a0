# Completion of orgd for bash: source <(orgd completion bash)
_orgd() {
	local line
	COMPREPLY=()
	while IFS= read -r line; do
		COMPREPLY+=("$(printf %q "${line%%$'\t'*}")")
	done < <("${COMP_WORDS[0]}" __complete bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _orgd orgd
