import { resolve } from "node:path";
import { SysError } from "@aos/protocol/words";
import { askYes } from "../ask-person.ts";
import type { Command } from "../command.ts";
import { formatTrustReport } from "../format-trust.ts";
import remove from "./trust-rm.ts";

const command: Command = async (call) => {
  const { args, options, client, out } = call;
  if (options.flag("revoke")) return remove({ ...call, args: [args[0] ?? "."] });
  const tenant = options.text("tenant");
  const whose = tenant === undefined ? {} : { tenant };
  const look = await client.lookAtFolder({
    folder: resolve(args[0] ?? "."),
    isProject: args[0] === undefined,
    ...whose,
  });
  const { folder, digest, state, problems } = look;
  const isOpen = state === "untrusted" || state === "changed";
  if (!isOpen || problems.length > 0) {
    await out.data(look, () => formatTrustReport(look));
    return problems.length > 0 ? 1 : 0;
  }
  if (!options.flag("yes")) {
    if (!process.stdin.isTTY) {
      await out.data(look, () => formatTrustReport(look));
      out.note(
        `no terminal to ask at, so the folder stays untrusted; to trust it: aos trust ${folder} --yes`,
      );
      return 1;
    }
    process.stderr.write(`${formatTrustReport(look)}\n`);
    if (!(await askYes(`Trust ${folder} as it is now? (yes/no) `)))
      throw new SysError("EDENIED", `${folder} is not trusted`);
  } else if (out.format === "text") out.note(formatTrustReport(look));
  const trusted = await client.trustFolder({ folder, digest, ...whose });
  await out.data(trusted, () => `${folder} is trusted`);
};

export default command;
