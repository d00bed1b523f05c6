Feature: svc activity-submit, activity-collect and activity-wait-all

  Rule: A child is submitted immediately and collected later

    @own-agent @VERB-023 @VERB-024 @VERB-025 @VERB-026 @SCR-020 @SCR-058 @SCR-059 @ERR-043 @store
    Scenario: two children run while their parent continues, and return their results when collected
      Given 1 agent of its own
      When I submit the script "parent.sh" to that agent:
        """
        echo "$$" >> {folder}/passes
        svc activity-submit slow --requires gpu-{project} -- sh -c 'echo slow was here; exit 4'
        svc activity-submit quick --requires gpu-{project} -- pwd
        svc step between -- echo gone on
        code=0; text=$(svc activity-collect slow) || code=$?
        svc step told -- echo "slow said $text and $code"
        svc activity-collect quick > {folder}/quick
        """
      Then the run waits for "activity" "slow"
      And the log has "gone on"
      And the child of "slow#0" is soon "queued"
      And the processes of the file "passes" are gone
      When an agent "far" with the capability "gpu-{project}" starts in the folder "far"
      Then the run succeeds
      And the log has "slow said slow was here and 4" 1 time
      And the file "quick" is:
        """
        {folder}/far
        """
      And the run has no notes
      And the recorded steps are:
        | site      | kind             | exit |
        | slow#0    | activity-submit  | 0    |
        | quick#0   | activity-submit  | 0    |
        | between#0 | step             | 0    |
        | slow#0    | activity-collect | 4    |
        | told#0    | step             | 0    |
        | quick#0   | activity-collect | 0    |

    @VERB-027 @VERB-028 @SCR-021
    Scenario: wait-all waits for all uncollected children and counts failures
      Given a gate "last"
      When I submit the script "all.sh":
        """
        echo "$$" >> {folder}/passes
        svc activity-submit collected -- false
        svc activity-collect collected || true
        svc activity-submit a -- true
        svc activity-submit b -- sh -c 'exit 3'
        svc activity-submit c -- sh -c 'exit 4'
        svc activity-submit d -- sh -c 'read -r _ < {folder}/last'
        failures=$(svc activity-wait-all)
        svc step count -- echo "$failures failed"
        svc step none -- echo "$(svc activity-wait-all) more"
        """
      Then the run soon waits at "activity-wait-all#0"
      And the processes of the file "passes" are gone
      When I open the gate "last"
      Then the run succeeds
      And the log has "2 failed" 1 time
      And the run has no notes

    @contract
    Scenario: a collected child can be collected again
      When I submit the script "again.sh":
        """
        svc activity-submit x -- echo result
        svc activity-wait-all
        test "$(svc activity-collect x)$(svc activity-collect x)" = resultresult
        """
      Then the run succeeds

  Rule: Child names must be unique, and a collected child must exist

    @SCR-061
    Scenario: a used name and an unknown name are rejected
      When I submit the script "names.sh":
        """
        svc activity-submit x -- true
        code=0; svc activity-submit x -- touch {folder}/never || code=$?; svc step again -- echo "again $code"
        code=0; svc activity x -- touch {folder}/never || code=$?; svc step again -- echo "again $code"
        code=0; svc activity-collect y || code=$?; svc step nobody -- echo "nobody $code"
        svc sleep 10ms
        svc activity-submit y -- true
        svc activity-wait-all
        """
      Then the run succeeds
      # @contract
      And the log has "again 2" 2 times
      # @contract
      And the log has "nobody 2" 1 time
      # @contract
      And the log has "the name x is already used by the child" 2 times
      # @contract
      And the log has "there is no child y" 1 time

    @contract
    Scenario: invalid calls are rejected without using a position
      When I submit the script "bad.sh":
        """
        try() { code=0; "$@" 2>/dev/null || code=$?; echo "code $code"; }
        try svc activity-submit
        try svc activity-submit x
        try svc activity-submit x --
        try svc activity-submit '' -- true
        try svc activity-submit x#1 -- true
        try svc activity-submit x --requires 'a b' -- true
        try svc activity-submit x y -- true
        try svc activity x
        try svc activity-collect
        try svc activity-collect x y
        try svc activity-wait-all x
        """
      Then the run succeeds
      And the log has "code 2" 11 times
      And 0 steps are recorded

    @contract @store
    Scenario: parallel submits are processed one at a time
      When I submit the script "parallel.sh":
        """
        for i in $(seq 8); do svc activity-submit "p$i" -- echo "$i" & done
        wait
        """
      Then the run succeeds
      And 8 steps are recorded
      And a note of the run has "8 children were submitted and never collected"

  Rule: A child that is never collected does not fail the run

    @SCR-062 @SCR-063
    Scenario: the run waits for the child, succeeds, and adds a note about it
      Given a gate "leave"
      When I submit the script "forgotten.sh":
        """
        svc activity-submit forgotten -- sh -c 'read -r _ < {folder}/leave; echo done >> {folder}/work; exit 5'
        svc output set done=yes
        """
      Then the child of "forgotten#0" is soon "running"
      When I open the gate "leave"
      Then the run succeeds
      And the file "work" has 1 line
      And "output" of the run is '{"done":"yes"}'
      And a note of the run has "forgotten"
      And the child of "forgotten#0" ended with 5

    @contract
    Scenario: a failing script cancels its children
      Given a gate "leave"
      When I submit the script "fails.sh":
        """
        svc activity-submit long -- sh -c 'echo "$$" >> {folder}/pids; sleep 600'
        svc activity-submit never --requires nowhere -- true
        read -r _ < {folder}/leave
        exit 3
        """
      Then the file "pids" soon has 1 line
      When I open the gate "leave"
      Then the run fails with code "script_failed"
      And the processes of the file "pids" are gone
