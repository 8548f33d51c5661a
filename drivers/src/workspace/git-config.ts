// Git config: whether a change of a `.git/config` could make git run a program or contact another host.
//
// GIT-CONFIG-1  A setting that is not known to be harmless counts as power, because git adds new settings.

/** Of settings that were added or changed, these may be let through. */
const HARMLESS = [
  /^core\.(repositoryformatversion|filemode|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev)$/,
  /^branch\..*\.(remote|merge|rebase|description|pushremote)$/,
  /^user\.(name|email)$/,
  /^(color|gc|index|status|log|advice)\.[a-z.]+$/,
];
const MAX_SETTINGS = 10_000;

/** The settings that are new, by name, and not harmless; undefined when there are none. */
export function powerInGitConfig(before: string, after: string): string[] | undefined {
  const known = new Set(settingsOf(before)?.map(({ line }) => line));
  const settings = settingsOf(after);
  if (settings === undefined) return ["an unreadable line"];
  const added = settings
    .filter(({ name, line }) => !known.has(line) && !isHarmless(name, line))
    .map(({ name }) => name);
  return added.length === 0 ? undefined : [...new Set(added)];
}

const isHarmless = (name: string, line: string): boolean =>
  line === "core.bare=false" || HARMLESS.some((pattern) => pattern.test(name));

interface Setting {
  readonly name: string;
  readonly line: string;
}

/** Undefined where a line is not plain: joined by a backslash, or of no form that is known. */
function settingsOf(text: string): Setting[] | undefined {
  const settings: Setting[] = [];
  let section = "";
  for (const raw of text.split("\n")) {
    let line = raw.trim();
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    if (line.endsWith("\\") || settings.length > MAX_SETTINGS) return undefined;
    const head = /^\[([a-zA-Z0-9.-]+)(?:\s+"([^"\\]*)")?\]\s*/.exec(line);
    if (head !== null) {
      section = head[1]!.toLowerCase() + (head[2] === undefined ? "" : `.${head[2]}`);
      line = line.slice(head[0].length);
      if (line === "") continue;
    }
    const setting = /^([a-zA-Z][a-zA-Z0-9-]*)\s*(?:=\s*(.*))?$/.exec(line);
    if (setting === null || section === "") return undefined;
    const name = `${section}.${setting[1]!.toLowerCase()}`;
    settings.push({ name, line: `${name}=${setting[2] ?? ""}` });
  }
  return settings;
}
