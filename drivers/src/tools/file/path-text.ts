// Path texts: valid file names in a call.
//
// PATH-TEXT-1  A path is absolute and canonical: no `.`, no `..`, no empty segment.
// PATH-TEXT-2  It has no invisible or bidirectional character and no unpaired surrogate.
// PATH-TEXT-3  It is normalised to Unicode NFC first: what the gate is asked about is what is opened. A file whose
//     name on disk has another form cannot be named.
// PATH-TEXT-4  Nothing is expanded or decoded: `~`, `%2e` and full-width dots are ordinary names.

import { z } from "zod";

const MAX_PATH_CHARS = 4096;
const MAX_PART_BYTES = 255;

/** Control and format characters, spaces other than the usual one, halves of a surrogate pair. */
const UNSEEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]|(?! )\p{Zs}/u;

/** Places that are no files: what is in them changes meaning with who looks. */
const NO_FILES = ["/proc", "/sys", "/dev"];

/** What is wrong with a path in normal form C, or undefined. */
function flawOf(path: string): string | undefined {
  if (path.length > MAX_PATH_CHARS) return `the path has more than ${MAX_PATH_CHARS} characters`;
  const unseen = UNSEEN.exec(path)?.[0].codePointAt(0);
  if (unseen !== undefined) return `the path has the invisible character ${codeName(unseen)}`;
  if (/^file:/i.test(path)) return "the path is a URL: give only the path";
  if (path.startsWith("~"))
    return "the path begins with ~, which is not expanded: give an absolute path";
  if (!path.startsWith("/")) return "the path must be absolute";
  if (path.includes("\\")) return "the path has a backslash: separate its segments with /";
  if (isReservedPath(path)) return "the path is in a system folder without regular files";
  if (path === "/") return undefined;
  return path.slice(1).split("/").map(flawOfPart).find(Boolean);
}

function flawOfPart(part: string): string | undefined {
  if (part === "" || part === "." || part === "..")
    return "the path must not have `.`, `..` or empty segments";
  if (Buffer.byteLength(part) > MAX_PART_BYTES)
    return `a segment of the path has more than ${MAX_PART_BYTES} bytes`;
  return undefined;
}

const codeName = (point: number): string =>
  `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;

/** Below /proc, /sys or /dev. Asked of what was named, and again of what it turned out to be. */
export function isReservedPath(path: string): boolean {
  return NO_FILES.some((place) => path === place || path.startsWith(`${place}/`));
}

const pathText = (description: string) =>
  z
    .string()
    .overwrite((path) => path.normalize("NFC"))
    .superRefine((path, context) => {
      const flaw = flawOf(path);
      if (flaw !== undefined) context.addIssue({ code: "custom", message: flaw });
    })
    .describe(description);

export const folderPath = pathText("Absolute path of a folder, without `.` or `..`.");

export const filePath = pathText("Absolute path of a file, without `.` or `..`.").refine(
  (path) => path !== "/",
  "the path ends with a slash, as a folder",
);
