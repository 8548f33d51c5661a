// A key that is not there, or not for this address, said so that the operator knows what to do.

import { SysError, type Json, type ModelDriver } from "@aos/protocol";

export function hintingAtKeys(driver: ModelDriver, keySecret: string | undefined): ModelDriver {
  if (keySecret === undefined) return driver;
  const { provider } = driver;
  return {
    ...driver,
    infer: async (request, context) => {
      try {
        return await driver.infer(request, context);
      } catch (error) {
        throw aboutKey(error, keySecret)
          ? new SysError(error.code, `no API key for ${provider}: ${error.message}`, {
              hint: `set it with: aos configure --provider ${provider}`,
            })
          : error;
      }
    },
  };
}

/** The vault names the secret in `detail`. */
const aboutKey = (error: unknown, keySecret: string): error is SysError =>
  error instanceof SysError &&
  (error.code === "ENOENT" || error.code === "EACCES") &&
  (error.detail as { readonly secret?: Json } | undefined)?.secret === keySecret;
