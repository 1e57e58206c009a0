#compdef orgd
# Completion of orgd for zsh: orgd completion zsh > "${fpath[1]}/_orgd"
_orgd() {
	local line
	local -a found
	for line in "${(@f)$("${words[1]}" __complete zsh -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
		[[ -n $line ]] && found+=("${${line//:/\\:}/$'\t'/:}")
	done
	if (( $#found )); then
		_describe orgd found
	else
		_files
	fi
}
if [[ $funcstack[1] == _orgd ]]; then
	_orgd "$@"
else
	compdef _orgd orgd
fi
