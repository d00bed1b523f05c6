Feature: Files next to a script

  Background:
    Given a file "jobs/lib/rates.py":
      """
      def convert(amount): return amount * 3
      """
    And a file "jobs/lib/words.sh":
      """
      greet() { echo "hello $1"; }
      """
    And a file "jobs/data/units.csv":
      """
      kg,1000
      """

  @contract
  Rule: Included files have the same paths on the agent as on the submitting machine, in every language

    @needs-python3
    Scenario: a Python script imports a module and reads a file
      Given a file "jobs/report.py":
        """
        import os, subprocess
        from lib.rates import convert

        here = os.path.dirname(os.path.abspath(__file__))
        units = open(os.path.join(here, "data", "units.csv")).read().strip()
        subprocess.run(["svc", "sleep", "20ms"], check=True)
        subprocess.run(["svc", "output", "set", f"sum:={convert(14)}", f"units={units}"], check=True)
        """
      When I submit "jobs/report.py --include lib/ --include data/units.csv" with the CLI as "first"
      Then the run succeeds
      And "output.sum" of the run is "42"
      And "output.units" of the run is "kg,1000"
      When I call "svc source {run} --files"
      Then standard output matches "^file +bytes +digest"
      And standard output matches "data/units.csv +8 +sha256:[0-9a-f]{64}"
      When I call "svc source {run} --json"
      Then standard output is JSON whose "files.2.path" is "lib/words.sh"

    Scenario: a bash script sources a file and runs another
      Given a file "jobs/hello.sh":
        """
        source "$(dirname "$0")/lib/words.sh"
        svc output set said="$(greet you)" ran="$("$BASH" "$(dirname "$0")/tools/count" a b)"
        """
      And a file "jobs/tools/count":
        """
        echo "$#"
        """
      When I submit "jobs/hello.sh --include lib/words.sh --include tools" with the CLI as "first"
      Then the run succeeds
      And "output.said" of the run is "hello you"
      And "output.ran" of the run is "2"

    Scenario: a handler, a schedule, a pipeline job, a local run and a spawned run can include files
      Given a file "jobs/job.sh":
        """
        source "$(dirname "$0")/lib/words.sh"
        svc output set said="$(greet all)"
        """
      When I call "svc handler set greeter jobs/job.sh --include lib --on shop.opened"
      Then it exits with 0
      When somebody emits "shop.opened" with "{}"
      Then the handler "greeter" succeeds
      And "output.said" of the run is "hello all"
      When I call "svc schedule set nightly '0 3 * * *' jobs/job.sh --include lib --json"
      Then standard output is JSON whose "workflow.files.1.path" is "lib/words.sh"
      When I call "svc run jobs/job.sh --include lib --json"
      Then standard output is JSON whose "output.said" is "hello all"
      Given a file "ci.yml":
        """
        jobs: { greet: { workflow: ./jobs/job.sh, include: [lib/words.sh] } }
        """
      When I submit "ci.yml" with the CLI as "pipeline"
      Then the run succeeds
      When I rerun it as "again"
      Then the run succeeds
      Given a file "parent.sh":
        """
        svc spawn {folder}/jobs/job.sh --include lib --tag spawned
        """
      When I submit "parent.sh" with the CLI as "parent"
      Then the run succeeds
      And the run with the tag "spawned" is "succeeded"
      And the project comes to rest

    Scenario: an included folder omits its private files, and a note lists them
      Given a file "jobs/job.sh":
        """
        [ -e "$(dirname "$0")/more/.GIT" ] && left=some || left=none
        svc output set left="$left"
        """
      And a file "jobs/more/a.sh":
        """
        true
        """
      And a file "jobs/more/.GIT/config":
        """
        url = https://x:token@example.org/
        """
      When I call "svc run jobs/job.sh --include . --json"
      Then it exits with 0
      And standard output is JSON whose "output.left" is "none"
      And standard error has "svc: not included: more/.GIT is in a folder .git, where git keeps addresses and logins"
      When I call "svc run jobs/job.sh --include more/.GIT/config"
      Then it exits with 2
      And standard error has "(include_outside)"
      Given a file "parent.sh":
        """
        svc spawn {folder}/jobs/job.sh --include more --tag spawned
        """
      When I submit "parent.sh" with the CLI as "parent"
      Then the run succeeds
      And the log has "svc: not included: more/.GIT is in a folder .git"
      And the run with the tag "spawned" is "succeeded"
      And the project comes to rest

  @contract
  Rule: Commands that a script runs on other agents find the files too

    @own-server
    Scenario: a child on another agent uses a path relative to the script's folder
      Given a file "jobs/build.sh":
        """
        here=$(dirname "$0")
        echo "$here" > {folder}/parent
        svc activity-submit greeted --requires gpu -- bash -c ". $here/lib/words.sh; greet far; cat '$here/data/units.csv'; echo $here > {folder}/child"
        said=$(svc activity-collect greeted)
        counted=$(svc activity counted --requires gpu -- bash "$here/tools/count" a b)
        svc output set said="$(echo $said)" counted="$counted"
        """
      And a file "jobs/tools/count":
        """
        echo "$#"
        """
      When I submit "jobs/build.sh --include lib --include data --include tools" with the CLI as "first"
      Then the run waits for "activity" "greeted"
      When an agent "far" with the capability "gpu" starts in the folder "far"
      Then the run succeeds
      And "output.said" of the run is "hello far kg,1000"
      And "output.counted" of the run is "2"

  @contract
  Rule: A run keeps the files that it was submitted with

    Scenario: passes and reruns keep the files, and a submission with different files under the same key is reported
      Given a file "jobs/job.sh":
        """
        source "$(dirname "$0")/lib/words.sh"
        svc wait-signal go
        svc output set said="$(greet you)"
        """
      When I submit "jobs/job.sh --include lib --idempotency-key one" with the CLI as "first"
      Then the run waits for "signal" "go"
      Given a file "jobs/lib/words.sh":
        """
        greet() { echo "another one by now"; }
        """
      When I call "svc submit jobs/job.sh --include lib --idempotency-key one --json"
      Then standard output is JSON whose "source_differs" is "true"
      When I send the signal "go" with "1"
      Then the run succeeds
      And "output.said" of the run is "hello you"
      When I rerun it as "second"
      And I send the signal "go" with "1"
      Then the run succeeds
      And "output.said" of the run is "hello you"
      Given a file "jobs/lib/words.sh":
        """
        greet() { echo "hello $1"; }
        """
      When I call "svc submit jobs/job.sh --include lib --idempotency-key one --json"
      Then standard output is JSON whose "duplicate" is "true"
      And standard output lacks "source_differs"

    @own-agent
    Scenario: the next agent has the files after the first one is killed
      Given a gate "open"
      And 2 agents of its own
      And a file "jobs/job.sh":
        """
        echo "$SVC_AGENT_PID" >> {folder}/passes
        echo here >> {folder}/between
        [ "$(wc -l < {folder}/passes)" -gt 1 ] || read -r _ < {folder}/open
        source "$(dirname "$0")/lib/words.sh"
        svc output set said="$(greet you)"
        """
      When I submit "jobs/job.sh --include lib --requires {project}" with the CLI as "first"
      Then the file "between" soon has 1 line
      Given a file "jobs/lib/words.sh":
        """
        greet() { echo "another one by now"; }
        """
      When I kill the agent whose process is in the file "passes"
      Then the run succeeds
      And the file "passes" has 2 different lines
      And "output.said" of the run is "hello you"

  Rule: An isolated run can read its own files but not the project's other files

    @contract @needs-cc
    Scenario: a fork's run can read its handler's files but cannot access other content
      Given a file "jobs/outsider.sh":
        """
        source "$(dirname "$0")/lib/words.sh"
        greet outsider
        echo own > own.txt
        echo 'cat "$(dirname "$0")/own.txt"' > child.sh
        svc spawn child.sh --include own.txt --tag child
        ln -s /etc/passwd link.txt
        svc spawn child.sh --include link.txt || echo refused
        """
      When I call "svc handler set outsider jobs/outsider.sh --include lib/words.sh --on forge.pull_request"
      Then it exits with 0
      When a fork opens a pull request
      Then the handler "outsider" succeeds
      And "trusted" of the run is "false"
      And the log has "hello outsider"
      And the log has "refused"
      And the run with the tag "child" is "succeeded"

  @contract
  Rule: Files that cannot be included are rejected with advice

    Scenario Outline: a file that is missing, outside the folder or too large is rejected
      Given a file "jobs/job.sh":
        """
        true
        """
      And a file "jobs/large/some.txt" of the text "0123456789abcdef" 600000 times
      When I call "svc submit jobs/job.sh --include <path>"
      Then it exits with 2
      And standard error has "<said>"

      Examples:
        | path             | said                                              |
        | ../secret.txt    | ../secret.txt is outside the script's folder      |
        | /etc/hosts       | /etc/hosts is absolute                            |
        | nowhere.txt      | nowhere.txt is not in                             |
        | jobs/data        | write --include data (include_missing)            |
        | large            | large/some.txt (9600000 bytes) (include_too_large) |

    @needs-python3
    Scenario: graphs and pipelines reject included files, and svc check lists the files that a script is missing
      Given a file "ci.yml":
        """
        jobs: { a: { workflow: ./jobs/job.sh, include: [none.txt] } }
        """
      And a file "jobs/job.sh":
        """
        true
        """
      When I call "svc submit ci.yml --include jobs"
      Then it exits with 2
      And standard error has "next to `workflow`"
      When I call "svc check ci.yml"
      Then it exits with 1
      And standard output has "none.txt is not in"
      Given a file "jobs/job.py":
        """
        import lib.rates
        """
      When I call "svc check --local jobs/job.py"
      Then standard output has "`lib.rates` is next to the script; to send it to agents, use --include lib"
      When I call "svc check --local jobs/job.py --include lib"
      Then standard output has "job.py: ok"
      And standard output lacks "warning"
