// The code is CommonJS, so that a process has it once, whichever way its modules are loaded.
import tapedeck from './lib/index.cjs';

export const { withTapedeck, startTapedeck, variants, withVariants, Tapedeck, TapedeckError, TapedeckFailure } = tapedeck;
