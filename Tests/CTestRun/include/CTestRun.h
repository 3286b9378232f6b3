#pragma once

/// The temporary folder of this run of the tests, which is also `TMPDIR`.
const char *test_run_folder(void);
