// Fetcher: gets one URL and writes its body to one file, without a model. The program of the role `fetcher`; it goes
// through the same gate as an agent that would do the same.
//
//   { params: { url, workspace } }    or `output` for `workspace`; gives the path

import { type JsonObject, type Program, SysError } from "@aos/protocol";

export const fetcherProgram: Program = async (sys, input) => {
  const { params = {} } = (input ?? {}) as { readonly params?: JsonObject };
  const { url, workspace, output = workspace } = params;
  if (typeof url !== "string" || typeof output !== "string")
    throw new SysError("EINVAL", "the fetcher needs the parameters url and workspace");
  const reply = (await sys.exec("http.fetch", { url, as: "markdown" })) as JsonObject;
  const { status, text } = reply;
  if (typeof status !== "number" || status < 200 || status > 299)
    throw new SysError("EUPSTREAM", `${url} answered with status ${JSON.stringify(status)}`);
  if (typeof text !== "string") throw new SysError("EUPSTREAM", `${url} is no text`);
  await sys.write(output, text);
  return output;
};
