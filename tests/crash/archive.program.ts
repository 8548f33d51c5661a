// A host that archives all that has ended in its home. The first argument is the home, the second the archive.

import { createKernel } from "@aos/daemon";
import { ArchiveFolder, homeOf } from "@aos/daemon/parts";
import { own } from "../integration/backup/archive-programs.ts";

const [folder = "", archive = ""] = process.argv.slice(2);
const home = homeOf({ AOS_HOME: folder });
const kernel = await createKernel({
  store: { file: home.database },
  auditFolder: home.audit,
  keyFile: home.key,
  secretKeyFile: home.secretKey,
  programs: own,
  archive: new ArchiveFolder(archive, home),
});
await kernel.archiveRuns({ endedBefore: Date.now() + 1_000_000 });
await kernel.close();
