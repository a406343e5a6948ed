import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** A door on loopback before a server that listens on a private socket and lets everyone in. */
export interface Gate {
  /** Address of `path` that lets its holder in and leaves a cookie. */
  address(path: string): string;
  close(): void;
}

const cookieName = 'agent-console-start';

/**
 * Listens on the first port that is free and hands everything on to `socket` for who has the token: anyone else on this
 * machine can reach a loopback port, and an editor is as good as a shell. Rejects when every port is taken.
 */
export async function openGate(socket: string, ports: readonly number[]): Promise<Gate> {
  const token = randomBytes(18).toString('base64url');
  const server = createServer((incoming, outgoing) => {
    const entry = admit(incoming, token);
    if (entry === undefined) {
      outgoing
        .writeHead(403, { 'Content-Type': 'text/plain' })
        .end('Open the address that npm start printed.\n');
    } else {
      forward(incoming, outgoing, socket, entry, token);
    }
  });
  server.on('upgrade', (incoming: IncomingMessage, client: Socket, head: Buffer) => {
    const entry = admit(incoming, token);
    if (entry === undefined) client.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
    else upgrade(incoming, client, head, socket, entry);
  });
  for (const port of ports) {
    const listening = await new Promise<boolean>(resolve => {
      server.once('error', () => resolve(false));
      server.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve(true));
    });
    server.removeAllListeners('error');
    if (!listening) continue;
    const { port: actual } = server.address() as AddressInfo;
    return {
      address: path => `http://127.0.0.1:${actual}${path}${path.includes('?') ? '&' : '?'}tkn=${token}`,
      close: () => {
        server.close();
        server.closeAllConnections();
      },
    };
  }
  throw new Error(`Port ${ports.join(' and ')} is taken. Name another one with --port.`);
}

interface Entry {
  /** The path to ask for, without the token. */
  readonly path: string;
  readonly byToken: boolean;
}

function admit(incoming: IncomingMessage, token: string): Entry | undefined {
  const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
  const given = url.searchParams.get('tkn');
  url.searchParams.delete('tkn');
  if (given !== null && same(given, token)) return { path: `${url.pathname}${url.search}`, byToken: true };
  const cookies = (incoming.headers.cookie ?? '').split(';').map(pair => pair.trim().split('='));
  const admitted = cookies.some(
    ([name, value]) => name === cookieName && value !== undefined && same(value, token),
  );
  return admitted ? { path: incoming.url ?? '/', byToken: false } : undefined;
}

function same(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  socketPath: string,
  { path, byToken }: Entry,
  token: string,
): void {
  const { method, headers } = incoming;
  const onward = request({ socketPath, path, method, headers }, answer => {
    const cookies = answer.headers['set-cookie'] ?? [];
    const own = byToken ? [`${cookieName}=${token}; Path=/; HttpOnly; SameSite=Lax`] : [];
    outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, 'set-cookie': [...cookies, ...own] });
    answer.pipe(outgoing);
  });
  onward.once('error', () => {
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end();
  });
  outgoing.once('close', () => onward.destroy());
  incoming.pipe(onward);
}

function upgrade(
  incoming: IncomingMessage,
  client: Socket,
  head: Buffer,
  socketPath: string,
  { path }: Entry,
): void {
  const onward = connect(socketPath, () => {
    const headers = incoming.rawHeaders;
    let text = `${incoming.method ?? 'GET'} ${path} HTTP/1.1\r\n`;
    for (let at = 0; at < headers.length; at += 2)
      text += `${headers[at] ?? ''}: ${headers[at + 1] ?? ''}\r\n`;
    onward.write(`${text}\r\n`);
    onward.write(head);
    client.pipe(onward).pipe(client);
  });
  onward.once('error', () => client.destroy());
  client.once('error', () => onward.destroy());
  client.once('close', () => onward.destroy());
}
