/**
 * Shell scripts that ask this program for completions. bash and zsh offer file names if there are no completions;
 * fish offers file names for the commands that read or write files.
 */
export const SCRIPTS = {
  bash: `_listings() {
  local value
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    COMPREPLY+=("$value")
  done < <(listings __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _listings listings
`,
  zsh: `#compdef listings
_listings() {
  local -a candidates
  local value description
  while IFS=$'\\t' read -r value description; do
    candidates+=("\${value//:/\\\\:}\${description:+:$description}")
  done < <(listings __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#candidates )); then
    _describe 'listings' candidates
  else
    _files
  fi
}
if [ "$funcstack[1]" = _listings ]; then
  _listings "$@"
else
  compdef _listings listings
fi
`,
  fish: `function __listings_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    listings __complete -- $words[2..-1] "$current" 2>/dev/null
end
complete -c listings -f -a '(__listings_complete)'
complete -c listings -n '__fish_seen_subcommand_from import export push errors scan' -F
`,
} as const;
