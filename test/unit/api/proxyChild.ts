/** Run by the proxy tests in a process of its own, which goes through the proxy its environment names. */
import { clientOf, failureOf } from './support';

async function main(): Promise<void> {
  const { api } = clientOf({ origin: 'https://api.example.invalid' });
  const get = await failureOf(api.list('computers'));
  const post = await failureOf(api.createSession({ computerId: 'c' }));
  process.send?.({ get: [get.kind, get.reason], post: [post.kind, post.reason] }, () => process.exit(0));
}

void main();
