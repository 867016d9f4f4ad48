import { activeKeys } from '../lib/keys.js';
import { Dialog } from './dialog.js';

/** Keys that work on this page. */
export const KeyHelp = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog label="Keys" onClose={onClose}>
    <h2>Keys</h2>
    <table class="plain">
      <tbody>
        {activeKeys().map(({ keys, does }) => (
          <tr>
            <th scope="row">
              {keys.split(' ').map((key) => (
                <kbd>{key}</kbd>
              ))}
            </th>
            <td>{does}</td>
          </tr>
        ))}
      </tbody>
    </table>
    <div class="row end">
      <button type="button" onClick={onClose} autofocus>
        Close
      </button>
    </div>
  </Dialog>
);
