import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { homeOf } from "./home.ts";
import { openScriptFolders } from "./script-folders.ts";

test("the folder of the last run is looked in first, also after a restart", () => {
  const folder = mkdtempSync(join(tmpdir(), "aos-scripts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const home = homeOf({ AOS_HOME: folder });
  const scripts = openScriptFolders(home);
  const held = scripts.folders;

  scripts.see("/a");
  scripts.see("/b");
  scripts.see("/a");

  const expected = ["/a", "/a/scripts", "/b", "/b/scripts", home.scripts, home.recordings];
  expect(held).toEqual(expected);
  expect(openScriptFolders(home).folders).toEqual(expected);
});
