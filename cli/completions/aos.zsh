#compdef aos
# zsh completion for aos: source <(aos completion zsh), or this file as _aos in a folder of $fpath

_aos() {
  local line
  local -a found
  for line in "${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :files) _files ;;
      :folders) _files -/ ;;
      :* | '') ;;
      *$'\t'*) found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
      *) found+=("${line//:/\\:}") ;;
    esac
  done
  ((${#found})) && _describe -V aos found
}

if [[ ${funcstack[1]} == _aos ]]; then
  _aos "$@"
else
  compdef _aos aos
fi
