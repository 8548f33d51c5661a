# fish completion for aos: aos completion fish | source

function __aos_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] __complete $words[2..-1] 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path (commandline -ct)
            case ':folders'
                __fish_complete_directories (commandline -ct)
            case ':*' ''
            case '*'
                echo $line
        end
    end
end

complete -c aos -f -a '(__aos_complete)'
