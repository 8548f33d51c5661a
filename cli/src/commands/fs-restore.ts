// `aos fs restore`: an old version of a file is written again.

import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";

const command: Command = async ({ args: [path = ""], client, options, out }) => {
  const [version, tenant] = [options.text("version"), options.text("tenant")];
  if (version === undefined)
    throw new SysError("EINVAL", "name the version: --version PID#SEQ", {
      hint: `\`aos fs log ${path}\` lists them`,
    });
  const { pid } = await client.restoreFile({
    path,
    version,
    ...(tenant === undefined ? {} : { tenant }),
  });
  await out.data({ path, pid, version }, () => `${path} is as in ${version} again.`);
};

export default command;
