import type { Command } from 'commander'
import type { Outcome } from './command.ts'

export const shells = ['bash', 'zsh', 'fish'] as const

/** The words that may follow a path of commands such as `keys create`; the path of the program itself is empty. */
type Choice = { readonly path: string; readonly commands: readonly string[]; readonly options: readonly string[] }

/** Returns a script that completes commands and options of a program in a shell. `name` is the word that the user types. */
export function completionFor(shell: (typeof shells)[number], root: Command, name: string): Outcome {
  const choices = choicesOf(root, '')
  const script = shell === 'fish' ? fishScript(choices, name) : bashScript(choices, name)
  const text = shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${script}` : script
  return { result: { shell, script: text }, text }
}

function choicesOf(command: Command, path: string): Choice[] {
  const below = command.commands.map((each) => each.name())
  const options = command.options.flatMap(({ long }) => long ?? [])
  return [
    { path, commands: below, options: [...options, '--help'] },
    ...command.commands.flatMap((each) => choicesOf(each, path === '' ? each.name() : `${path} ${each.name()}`)),
  ]
}

function bashScript(choices: readonly Choice[], name: string): string {
  const rows = choices.map(({ path, commands, options }) => {
    return `    "${path}") commands="${commands.join(' ')}"; options="${options.join(' ')}" ;;`
  })
  const known = choices.flatMap(({ path }) => (path === '' ? [] : [`"${path}"`])).join('|')
  return `_${name}() {
  local word="\${COMP_WORDS[COMP_CWORD]}" path='' next commands options i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${path:+$path }\${COMP_WORDS[i]}"
    case "$next" in
      ${known}) path="$next" ;;
    esac
  done
  case "$path" in
${rows.join('\n')}
  esac
  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ -n $commands ]]; then COMPREPLY=($(compgen -W "$commands" -- "$word"))
  else COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _${name} ${name}`
}

function fishScript(choices: readonly Choice[], name: string): string {
  return choices
    .flatMap(({ path, commands, options }) => {
      const condition = path === '' ? '__fish_use_subcommand' : seen(path.split(' '), commands)
      return [
        ...commands.map((command) => `complete -c ${name} -f -n "${condition}" -a ${command}`),
        ...options.map((option) => `complete -c ${name} -n "${condition}" -l ${option.slice(2)}`),
      ]
    })
    .join('\n')
}

function seen(path: readonly string[], commands: readonly string[]): string {
  const after = path.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ')
  return commands.length === 0 ? after : `${after}; and not __fish_seen_subcommand_from ${commands.join(' ')}`
}
