/* Preloaded into the attacked program: makes its calls fail, one after the other. */
int faults_are_loaded = 1;
