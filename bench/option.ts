// Option: what a bench was told at the command line.

/** The word behind `--name`; undefined where it is not there. */
export function optionOf(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args[at + 1];
}
