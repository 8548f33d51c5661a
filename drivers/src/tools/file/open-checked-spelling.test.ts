import { expect, test } from "vitest";
import { isSpelledAsOnDisk, type Volume } from "./open-checked.ts";

/** A volume with these files; one that folds takes any case for the name it has. */
function volume(files: readonly string[], folds: boolean): Volume {
  const key = (path: string) => (folds ? path.toLowerCase() : path);
  const paths = files.flatMap((file) => {
    const parts = file.slice(1).split("/");
    return parts.map((_, at) => `/${parts.slice(0, at + 1).join("/")}`);
  });
  return {
    identity: async (path) => {
      const at = paths.findIndex((one) => key(one) === key(path));
      return at < 0 ? undefined : key(paths[at]!);
    },
    names: async (folder) =>
      paths
        .filter((path) => key(path.slice(0, path.lastIndexOf("/")) || "/") === key(folder))
        .map((path) => path.slice(path.lastIndexOf("/") + 1)),
  };
}

const folding = volume(["/Work/.env", "/Work/README"], true);

test.each([
  ["/Work/.env", true],
  ["/Work/.ENV", false],
  ["/work/.env", false],
  ["/Work/README", true],
  ["/Work/readme", false],
  ["/Work/new", true],
])("SPELLING-1: on a volume that folds case %s: %s", async (path, expected) => {
  expect(await isSpelledAsOnDisk(path, folding)).toBe(expected);
});

test("SPELLING-1: where case counts, two names are two files", async () => {
  const strict = volume(["/work/a", "/work/A"], false);

  expect(await isSpelledAsOnDisk("/work/a", strict)).toBe(true);
  expect(await isSpelledAsOnDisk("/work/A", strict)).toBe(true);
});

test("a file of this machine is spelled as it is", async () => {
  expect(await isSpelledAsOnDisk(process.execPath)).toBe(true);
  expect(await isSpelledAsOnDisk("/")).toBe(true);
});
