/* hold FILE SHARE MILLISECONDS: keeps a file open as an editor or a virus scanner does. SHARE is a sum of 1 (others may read),
   2 (write) and 4 (remove). Says so once it is open. */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>
int main(int count, char **words) {
    if (count != 4) return 2;
    HANDLE file = CreateFileA(words[1], GENERIC_READ, atoi(words[2]), NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE) return 1;
    puts("held");
    fflush(stdout);
    Sleep(atoi(words[3]));
    return 0;
}
