Feature: svc activity runs a command on another agent

  Rule: The command runs on a capable agent, and the script continues with the outcome

    @own-agent @VERB-021 @VERB-022 @store
    Scenario: a command waits for a capable agent and runs in that agent's folder
      Given 1 agent of its own
      When I submit the script "parent.sh" to that agent:
        """
        echo "$$" >> {folder}/passes
        where=$(svc activity locate --requires gpu-{project} -- pwd)
        svc step told -- echo "it ran in $where"
        """
      Then the run waits for "activity" "locate"
      And the processes of the file "passes" are gone
      When an agent "far" with the capability "gpu-{project}" starts in the folder "far"
      Then the run succeeds
      And the file "passes" has 2 lines
      And the log has "it ran in {folder}/far"
      And the recorded steps are:
        | site     | kind     | exit | stdout                         |
        | locate#0 | activity | 0    | {folder}/far\n                 |
        | told#0   | step     | 0    | it ran in {folder}/far\n       |

    @VERB-022
    Scenario: output and exit code are exactly those of the command, on every pass
      When I submit the script "bytes.sh":
        """
        code=0; svc activity odd -- sh -c 'printf "a\0b\377"; echo aside >&2; exit 7' > {folder}/out || code=$?
        od -An -tx1 {folder}/out | tr -d ' \n' >> {folder}/seen; echo >> {folder}/seen
        svc step code -- echo "code $code"
        svc sleep 10ms
        """
      Then the run succeeds
      And the file "seen" is:
        """
        610062ff
        610062ff
        """
      And the log has "code 7" 1 time
      And the log has "aside" 1 time
      And the child of "odd#0" ended with 7

    @contract
    Scenario: a child's output before its failure is in its outcome and in the run's error
      Given the secret "DEPLOY_KEY" is "hunter2-and-more"
      When I submit the script "said.sh":
        """
        svc activity quiet -- sh -c 'echo unheard >&2'
        svc activity sign -- sh -c 'echo "no key in hunter2-and-more" >&2; exit 5'
        """
      Then the run fails and its error has "child sign ended with exit code 5"
      And the run fails and its error has "no key in ***"
      And the log has "no key in ***" 1 time
      And the log has "unheard" 1 time

    @contract
    Scenario: a child's output appears in the log once
      When I submit the script "once.sh":
        """
        svc activity shout -- echo once and for all
        svc sleep 10ms
        """
      Then the run succeeds
      And the log has "once and for all" 1 time

    @contract
    Scenario: a child sees the job's environment and one of the service's variables
      When I submit the script "environment.sh" with the options '{"env": {"GREETING": "hello"}}':
        """
        svc activity environment -- env > {folder}/env
        """
      Then the run succeeds
      And the file "env" has "GREETING=hello"
      And the file "env" has "SVC_IDEMPOTENCY_KEY="
      And the file "env" names 1 variable of the service

    @contract
    Scenario: commands that cannot run exit with the same codes as in a shell
      When I submit the script "none.sh":
        """
        code=0; svc activity absent -- no-such-command || code=$?; echo "absent $code"
        code=0; svc activity inert -- /etc/passwd || code=$?; echo "inert $code"
        code=0; svc activity killed -- sh -c 'kill -9 $$' || code=$?; echo "killed $code"
        """
      Then the run succeeds
      And the log has "absent 127"
      And the log has "inert 126"
      And the log has "killed 137"

    @contract
    Scenario: output over 2 MiB is a failure that reports the size
      When I submit the script "large.sh":
        """
        code=0; svc activity large -- head -c 2097155 /dev/zero > {folder}/large || code=$?
        echo "code $code and $(wc -c < {folder}/large) bytes"
        svc activity exact -- head -c 2097152 /dev/zero | wc -c
        """
      Then the run succeeds
      And the log has "3 bytes over the limit of 2 MiB"
      And the log has "code 1 and 0 bytes"
      And the log has "2097152"

  @contract
  Rule: A child survives its agent but not its run

    @own-agent @store
    Scenario: a child runs again with the same key if its agent dies
      Given 1 agent of its own
      When I submit the script "reborn.sh" to that agent:
        """
        svc activity reborn --requires gpu-{project} -- sh -c '[ -e {folder}/second ]; again=$?; touch {folder}/second; echo "$SVC_IDEMPOTENCY_KEY" >> {folder}/keys; [ $again = 0 ] || sleep 600'
        """
      Then the run waits for "activity" "reborn"
      When an agent "first" with the capability "gpu-{project}" starts in the folder "one"
      Then the file "keys" soon has 1 line
      When the last agent is killed
      And an agent "second" with the capability "gpu-{project}" starts in the folder "two"
      Then the run succeeds
      And the file "keys" has 2 lines
      And the file "keys" has 1 different line

    Scenario: cancelling a run kills its children and all their processes
      When I submit the script "cancelled.sh":
        """
        svc activity long -- sh -c 'sleep 600 & echo $! >> {folder}/pids; echo "$$" >> {folder}/pids; wait'
        """
      Then the file "pids" soon has 2 lines
      When I cancel the run because "enough"
      Then the processes of the file "pids" are gone

    Scenario: a secret reaches the child and is masked in its log
      When I send "PUT" to "{scoped}/secrets/PASSPHRASE" with:
        """
        {"value": "open sesame"}
        """
      And I submit the script "secret.sh":
        """
        svc activity whisper -- sh -c 'echo "it is $PASSPHRASE"; echo "$PASSPHRASE" > {folder}/heard'
        """
      Then the run succeeds
      And the log has "it is ***"
      And the log lacks "sesame"
      And the file "heard" has "open sesame"
