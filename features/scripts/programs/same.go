package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Calls a verb; answers what it printed and its exit code.
func svc(args ...string) (string, int) {
	command := exec.Command("svc", args...)
	command.Stderr = os.Stderr
	text, err := command.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		panic(err)
	}
	return strings.TrimSuffix(string(text), "\n"), command.ProcessState.ExitCode()
}

func must(args ...string) string {
	text, code := svc(args...)
	if code != 0 {
		panic(fmt.Sprintf("svc %s: %d", args[0], code))
	}
	return text
}

func main() {
	fmt.Println("a pass begins")
	built := must("step", "build", "--label", "Build it", "--", "sh", "-c", "echo ran >> {folder}/commands; echo built")
	for n := 1; n <= 2; n++ {
		say := fmt.Sprintf("echo ran >> {folder}/commands; echo 'round %d of %s'", n, built)
		must("step", "round", "--", "sh", "-c", say)
	}
	_, code := svc("step", "fragile", "--", "sh", "-c", "echo ran >> {folder}/commands; exit 7")
	must("sleep", "50ms")
	approval := must("wait-signal", "approval")
	must("state", "set", "approval", approval)
	must("step", "use", "--", "printf", "%s after %s", approval, fmt.Sprint(code))
	must("output", "set", "built="+built, fmt.Sprintf("code:=%d", code))
	must("annotate", "# Built")
}
