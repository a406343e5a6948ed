import '../kit/boot';
import { render } from 'preact';
import { Composer } from './composer/composer';
import { Header } from './header';
import { connect, tellTimeZone } from './page';
import { prepareMarkdown } from './markdown/renderer';
import { announcement } from './state';
import { Transcript } from './transcript/transcript';
import './main.css';

function Chat() {
  return (
    <div class="chat">
      <Header />
      <Transcript />
      <Composer />
      <div class="announcer unseen" role="status" aria-live="polite">
        {announcement.value}
      </div>
    </div>
  );
}

const root = document.getElementById('root');
if (root !== null) {
  render(<Chat />, root);
  connect();
  // What follows is done while the panel answers.
  void prepareMarkdown().then(tellTimeZone);
}
