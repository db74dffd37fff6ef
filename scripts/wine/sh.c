/* sh -c "test -f FILE": as much of a shell as the plan of run.sh needs. */
#include <string.h>
#include <windows.h>
int main(int count, char **words) {
    if (count != 3 || strncmp(words[2], "test -f ", 8) != 0) return 127;
    return GetFileAttributesA(words[2] + 8) == INVALID_FILE_ATTRIBUTES;
}
