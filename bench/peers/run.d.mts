export function runPeer(
  name: string,
  size:
    | { readonly agents: number; readonly steps: number; readonly bytes: number; readonly warm?: number; readonly url?: string }
    | { readonly calls: number }
    | { readonly engine: string; readonly rows: number; readonly dims: number; readonly queries: number }
    | { readonly origin: string; readonly way: string },
): Promise<object>;
