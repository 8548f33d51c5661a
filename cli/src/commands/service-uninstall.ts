import { rmSync } from "node:fs";
import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { serviceFileFor } from "../service/find-service.ts";

const command: Command = async ({ endpoint, out }) => {
  const found = serviceFileFor(endpoint);
  if (found === undefined) {
    out.note(`${endpoint.home} has no service`);
    return out.data({ removed: false, file: null }, () => "");
  }
  const { manager, file, isOurs } = found;
  if (!isOurs)
    throw new SysError("ESTATE", `${file} was not written by \`aos service install\``, {
      hint: "remove the package that brought it, or the file itself",
    });
  // Without its manager, as in a container, the file is all there is.
  const isManaged = manager.problem() === undefined;
  if (isManaged) manager.disable(file);
  try {
    rmSync(file);
  } catch (error) {
    throw new SysError("EACCES", `${file} cannot be removed: ${(error as Error).message}`, {
      hint: "a service of the machine needs root: run it with sudo",
    });
  }
  if (isManaged) manager.forget();
  out.note(`removed ${file}; the home and its processes are kept`);
  await out.data({ removed: true, file }, () => "");
};

export default command;
