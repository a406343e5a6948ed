import '../kit/boot';
import { render } from 'preact';
import { Composer } from './composer/composer';
import { Header } from './header';
import { connect } from './page';
import { announcement, start } from './state';
import { prepareMarkdown } from './transcript/rows';
import { Transcript } from './transcript/transcript';
import './styles/base.css';
import './styles/transcript.css';
import './styles/composer.css';
import './styles/markdown.css';

function Chat() {
  if (start.value === undefined) return null;
  return (
    <div class="chat" key={start.value}>
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
  // What follows takes long, and is done while the panel answers.
  void prepareMarkdown();
}
