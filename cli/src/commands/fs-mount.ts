import type { Command } from "../command.ts";
import { printable } from "../printable.ts";
import { table } from "../table.ts";
import { whoseFiles } from "../whose-files.ts";

const command: Command = async ({ client, options, out }) => {
  const mounts = await client.mounts(whoseFiles(options));
  await out.data(mounts, () =>
    table(
      ["PATH", "DRIVER", "GUARD", "WRITABLE", "LABEL", "DECLARED BY", "+SUMMARY"],
      mounts.map((mount) => [
        mount.path,
        mount.driver,
        mount.guard,
        mount.writable ? "yes" : "no",
        mount.label,
        mount.declaredBy,
        printable(mount.summary),
      ]),
      out,
    ),
  );
};

export default command;
