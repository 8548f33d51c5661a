export function runPeer(
  name: string,
  size:
    | { readonly agents: number; readonly steps: number; readonly bytes: number; readonly warm?: number }
    | { readonly calls: number },
): Promise<object>;
