// Helper programs: programs of the machine that tools use where they are installed, and the name of the package
// that has each. Lines that install something are made from these rows and from nothing else.

export interface HelperProgram {
  readonly program: string;
  readonly purpose: string;
  /** The package that has it, where a package manager has no name of its own for it. */
  readonly package: string;
  /** By the command of the package manager. */
  readonly packages?: Readonly<Record<string, string>>;
}

export const helperPrograms: readonly HelperProgram[] = [
  { program: "chromium", purpose: "the browser of browser.*", package: "chromium" },
  { program: "git", purpose: "versions of a workspace", package: "git" },
  { program: "rg", purpose: "search in files", package: "ripgrep" },
  { program: "jq", purpose: "queries over JSON", package: "jq" },
  {
    program: "ffmpeg",
    purpose: "sound and video",
    package: "ffmpeg",
    packages: { dnf: "ffmpeg-free", microdnf: "ffmpeg-free", yum: "ffmpeg-free" },
  },
  {
    program: "pandoc",
    purpose: "conversion of documents",
    package: "pandoc",
    packages: { apk: "pandoc-cli", pacman: "pandoc-cli" },
  },
];
