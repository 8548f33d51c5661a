# bash completion for aos: source <(aos completion bash)

_aos() {
  local word rest=$COMP_LINE line i at=-1
  local -a words=() lines=()

  # Bash takes words apart at @, = and :, and aos does not: what stands without a space between is one.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((i == 0)) || [[ $rest == [[:space:]]* ]]; then
      at=$((at + 1))
      words[at]=$word
      rest=${rest#"${rest%%[![:space:]]*}"}
    else
      words[at]+=$word
    fi
    rest=${rest#"$word"}
  done

  # What bash replaces is the last piece, so that is all that an answer may have. An @ before it goes with it.
  local last=${COMP_WORDS[COMP_CWORD]} cur=${words[at]}
  [[ $last == [@=:] ]] && last=
  local head=${cur%"$last"}
  head=${head%@}

  COMPREPLY=()
  while IFS= read -r line; do lines+=("$line"); done < <("$1" __complete "${words[@]:1}" 2>/dev/null)
  for line in "${lines[@]}"; do
    case $line in
      :files | :folders)
        local kind=f
        [[ $line == :folders ]] && kind=d
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -"$kind" -- "$last")
        type compopt >/dev/null 2>&1 && compopt -o filenames
        ;;
      :*) ;;
      *)
        word=${line%%$'\t'*}
        COMPREPLY+=("${word#"$head"}")
        ;;
    esac
  done
}

complete -F _aos aos
