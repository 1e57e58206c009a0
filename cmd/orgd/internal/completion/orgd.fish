# Completion of orgd for fish: orgd completion fish > ~/.config/fish/completions/orgd.fish
function __orgd_complete
	set -l before (commandline -opc)
	set -l typed (commandline -ct)
	set -l found ($before[1] __complete fish -- $before[2..-1] "$typed" 2>/dev/null)
	if test (count $found) -gt 0
		printf '%s\n' $found
	else
		__fish_complete_path "$typed"
	end
end
complete -c orgd -f -a '(__orgd_complete)'
