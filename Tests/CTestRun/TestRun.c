// A run of the tests that is interrupted would leave decks and folders behind. So each run has a temporary folder of its own, in
// TMPDIR, and a watcher that waits for the end of the process, however it ends: it then kills the processes that still have that
// TMPDIR, and removes the folder.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CTestRun.h"

static char folder[4096];

// Reads until the tests hold the other end of the pipe no more. Processes are found in /proc, where there is one.
static const char watcher[] =
    "read -r _ <&3; "
    "for file in /proc/[0-9]*/environ; do "
    "  if tr '\\0' '\\n' <\"$file\" | grep -Fqx \"TMPDIR=$1\"; then "
    "    pid=${file#/proc/}; kill -9 \"${pid%/environ}\"; "
    "  fi; "
    "done 2>/dev/null; "
    "rm -rf \"$1\"";

const char *test_run_folder(void) { return folder; }

__attribute__((constructor)) static void begin(void) {
    const char *outer = getenv("TMPDIR");
    int ends[2];
    snprintf(folder, sizeof folder, "%s/tapedeck-run-XXXXXX", outer != NULL && *outer != 0 ? outer : "/tmp");
    if (mkdtemp(folder) == NULL || pipe(ends) != 0) {
        perror("the temporary folder of the tests");
        exit(1);
    }
    // As the folder that it is in: some tests start programs as other users.
    chmod(folder, 01777);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid_t pid = fork();
    if (pid == 0) {
        // Ctrl-C ends the tests alone. A second fork, so that nobody has to wait for the watcher.
        setsid();
        if (fork() != 0) _exit(0);
        if (ends[0] != 3) dup2(ends[0], 3);
        // A reader of the tests' output is not to wait for the watcher.
        int nothing = open("/dev/null", O_RDWR);
        for (int descriptor = 0; descriptor < 3; descriptor++) dup2(nothing, descriptor);
        for (int descriptor = 4; descriptor < 256; descriptor++) close(descriptor);
        execl("/bin/sh", "sh", "-c", watcher, "sh", folder, (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    int status;
    if (pid > 0) waitpid(pid, &status, 0);
    setenv("TMPDIR", folder, 1);
}
