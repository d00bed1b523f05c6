Feature: svc spawn starts independent runs

  Background:
    Given a file "child.sh":
      """
      cat "$SVC_INPUT_FILE" > {folder}/input
      echo "$CI_TRIGGER_EVENT $CI_TRIGGER_PARENT" > {folder}/variables
      svc output set said=hello
      """

  Rule: A spawned run records its parent and is independent of it

    @VERB-029 @VERB-034 @SCR-050 @SCR-066 @EVT-026
    Scenario: svc spawn prints the ID, and the child records its parent
      When I submit the script "parent.sh" with the options '{"subject": "acme/site"}':
        """
        id=$(svc spawn {folder}/child.sh)
        svc output set child="$id"
        """
      Then the run succeeds
      And "output.child" of the run is noted as "child"
      When I look at the spawned run "{child}"
      Then the run succeeds
      And "parent" of the run is the run "it"
      And "trigger.type" of the run is "spawn"
      And "trigger.parent" of the run is the run "it"
      And "subject" of the run is "acme/site"
      And "generation" of the run is "0"
      And "trusted" of the run is "true"
      And "kind" of the run is "script"
      And "output.said" of the run is "hello"
      And the file "input" is JSON whose "type" is "spawn" and whose "parent" is the run "it"
      And the file "variables" names the parent "it"
      And "payload.run_id" of the last event "spawn" is "{child}"
      And "source" of the last event "spawn" is "spawn"

    @SCR-066
    Scenario: a failing child does not affect its parent
      When I submit the script "parent.sh":
        """
        echo 'exit 3' | svc spawn - --tag of:failing > {folder}/id
        """
      Then the run succeeds
      And the run with the tag "of:failing" is "failed"

    @VERB-031 @VERB-032 @VERB-033
    Scenario: svc spawn accepts tags, a kind and a document from standard input
      When I submit the script "parent.sh":
        """
        printf 'svc output set from=stdin' | svc spawn - --tag team:core --tag deep
        echo 'svc output set from=yml' > {folder}/named.yml
        svc spawn {folder}/named.yml --as script --tag named
        """
      Then the run succeeds
      And the run with the tag "deep" is "succeeded"
      And the run with the tag "team:core" is "succeeded"
      And the run with the tag "named" is "succeeded"

    @SCR-064
    Scenario: a position spawns one run, even if the file changes and the script runs again
      When I submit the script "parent.sh":
        """
        echo pass >> {folder}/passes
        echo 'true' > {folder}/once.sh
        [ -e {folder}/first ] && rm {folder}/once.sh
        touch {folder}/first
        a=$(svc spawn {folder}/once.sh --tag once)
        svc sleep 10ms
        echo "$a" >> {folder}/ids
        """
      Then the run succeeds
      And the file "passes" has 2 lines
      And the file "ids" has 1 line
      And 1 run has the tag "once"
      And the recorded steps are:
        | site    | kind  | exit |
        | spawn#0 | spawn | 0    |
        | sleep#0 | sleep | 0    |

  @contract
  Rule: Spawned runs can nest at most sixteen levels deep

    Scenario: a script that spawns itself eventually stops
      When I submit the script "first.sh":
        """
        cat > {folder}/again.sh <<'END'
        echo generation >> {folder}/generations
        code=0; svc spawn {folder}/again.sh --tag spawned || code=$?
        if test "$code" != 0; then echo "$code" >> {folder}/refusals; svc sleep 10ms; fi
        END
        svc spawn {folder}/again.sh --tag spawned
        """
      Then the run succeeds
      And the file "refusals" soon has 2 lines
      And the file "refusals" has 1 different line
      And 16 runs have the tag "spawned"
      And the file "generations" has 17 lines
      When I look at the newest run with the tag "spawned"
      Then the run succeeds
      And the recorded steps are:
        | site    | kind  | exit |
        | spawn#0 | spawn | 1    |
        | sleep#0 | sleep | 0    |
      And the log has "chain_too_deep: the run would be number 17 in a chain"

  Rule: An invalid spawn is rejected and recorded, so that the script can replay

    @contract
    Scenario: invalid files and calls are rejected
      When I submit the script "bad.sh":
        """
        try() { code=0; svc spawn "$@" || code=$?; echo "code $code"; }
        try
        try {folder}/absent.sh
        try {folder}
        try {folder}/child.sh {folder}/child.sh
        try {folder}/child.sh --as graph
        try {folder}/child.sh --tag
        printf '\377' > {folder}/binary; try {folder}/binary
        """
      Then the run succeeds
      And the log has "code 2" 7 times
      And the log has "there is no such file"
      And the recorded steps are:
        | site    | kind  | exit |
        | spawn#0 | spawn | 2    |
        | spawn#1 | spawn | 2    |
        | spawn#2 | spawn | 2    |

    @SCR-065
    Scenario: a spawned run cannot be given a name
      When I submit the script "named.sh":
        """
        echo true > {folder}/child.sh
        code=0; svc spawn build {folder}/child.sh || code=$?; echo "code $code"
        code=0; svc spawn {folder}/child.sh --name build || code=$?; echo "code $code"
        svc spawn {folder}/child.sh --tag unnamed
        """
      Then the run succeeds
      And the log has "code 2" 2 times
      And 1 run has the tag "unnamed"
      And the recorded steps are:
        | site    | kind  | label | exit |
        | spawn#0 | spawn |       | 0    |

    @contract
    Scenario: documents that the service rejects are recorded as failures
      When I submit the script "refused.sh":
        """
        try() { code=0; svc spawn "$@" || code=$?; echo "code $code"; }
        echo 'if' > {folder}/broken.sh; try {folder}/broken.sh
        : > {folder}/empty.sh; try {folder}/empty.sh
        head -c 1048577 /dev/zero | tr '\0' '#' > {folder}/large.sh; try {folder}/large.sh
        try {folder}/child.sh --tag "$(head -c 129 /dev/zero | tr '\0' t)"
        """
      Then the run succeeds
      And the log has "code 1" 4 times
      And the log has "1 more than the 1048576 allowed"
      And 4 steps are recorded

    @SCR-064
    Scenario: the next pass gets the same rejection, even if the problem is fixed
      When I submit the script "goes-on.sh":
        """
        echo pass >> {folder}/passes
        code=0; svc spawn {folder}/later.sh --tag late || code=$?
        echo "file $code" >> {folder}/codes
        code=0; echo | svc spawn - || code=$?
        echo "empty $code" >> {folder}/codes
        code=0; printf '%0300000d' 1 | svc state set k - || code=$?
        echo "large $code" >> {folder}/codes
        echo true > {folder}/later.sh
        svc sleep 10ms
        svc step after -- echo "went on"
        """
      Then the run succeeds
      And the file "passes" has 2 lines
      And the file "codes" has 6 lines
      And the file "codes" has 3 different lines
      And the log has "went on" 1 time
      # @contract
      And the log has "workflow_invalid: the script has a problem" 1 time
      And 0 runs have the tag "late"
      And the recorded steps are:
        | site        | kind  | exit |
        | spawn#0     | spawn | 2    |
        | spawn#1     | spawn | 1    |
        | set k#0     | state | 1    |
        | sleep#0     | sleep | 0    |
        | after#0     | step  | 0    |

    @contract
    Scenario: svc spawn rejects files that only the caller can read, and input that never ends
      When I submit the script "unread.sh":
        """
        try() { code=0; "$@" || code=$?; echo "code $code"; }
        try svc spawn <(echo true)
        try svc spawn /dev/stdin <<< true
        mkfifo {folder}/pipe; try svc spawn {folder}/pipe
        try svc emit large --payload @/dev/zero
        svc spawn - --tag piped < <(echo true)
        """
      Then the run succeeds
      And the log has "code 2" 4 times
      And the log has "pass - and redirect standard input" 4 times
      And 1 run has the tag "piped"

    @contract
    Scenario: a step's body cannot spawn
      When I submit the script "inside.sh":
        """
        code=0; svc step inside -- svc spawn {folder}/child.sh --tag inside || code=$?
        echo "code $code"
        """
      Then the run succeeds
      And the log has "SVC_AGENT_SOCKET is not set"
      And the log has "code 1"
      And 0 runs have the tag "inside"
