export function installFolder(
  folder: string,
  what: string,
  finish?: () => Promise<void>,
): Promise<void>;
export function run(command: string, args: readonly string[], cwd: string): Promise<void>;
