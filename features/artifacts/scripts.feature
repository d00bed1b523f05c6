Feature: a script stores artifacts, once for each call

  Rule: A call uploads once, and its files become visible together with its record

    @CLI-059
    Scenario: a replay neither reads nor uploads the files again
      When I submit the script "build.sh":
        """
        echo pass >> {folder}/passes
        if [ "$(wc -l < {folder}/passes)" = 1 ]; then
          mkdir -p {folder}/dist/lib
          echo app > {folder}/dist/app.js
          echo lib > {folder}/dist/lib/a.js
        else
          rm -rf {folder}/dist
        fi
        svc artifact put {folder}/dist > {folder}/printed
        cat {folder}/printed >> {folder}/all
        svc sleep 10ms
        """
      Then the run succeeds
      And the file "passes" has 2 lines
      And the file "all" is:
        """
        dist/app.js
        dist/lib/a.js
        dist/app.js
        dist/lib/a.js
        """
      And the recorded steps are:
        | site                | kind     | exit | stdout                      |
        | put {folder}/dist#0 | artifact | 0    | dist/app.js\ndist/lib/a.js\n |
        | sleep#0             | sleep    | 0    |                             |
      When I call "svc artifact get {run} dist/lib/a.js --output -"
      Then standard output is "lib"

    @contract
    Scenario Outline: the SDK stores artifacts in the same way: <program>
      When I submit the SDK program "<program>"
      Then the run succeeds
      And "output.paths" of the run is '["web/app.js","web/lib/a.js"]'
      And "output.refused" of the run matches "there is no file or folder"
      And 3 steps are recorded
      When I call "svc artifact get {run} web/lib/a.js --output -"
      Then standard output is "lib"

      Examples:
        | program      |
        | artifacts.ts |

      @needs-python3
      Examples:
        | program      |
        | artifacts.py |

    @contract
    Scenario: a call that cannot store its files is recorded, and the script can continue
      Given a file "good/one":
        """
        1
        """
      And a link "bad/link" to "/etc/passwd"
      And a file "bad/a":
        """
        a
        """
      When I submit the script "refused.sh":
        """
        try() { code=0; svc artifact put "$@" || code=$?; echo "code $code"; }
        try
        try {folder}/bad
        try {folder}/nothing
        try {folder}/good --as ../up
        try {folder}/good --run {run}
        try {folder}/good
        svc sleep 10ms
        svc step after -- true
        """
      Then the run succeeds
      And the log has "bad/link is a symbolic link"
      And the log has "in a script, artifacts belong to the script's run"
      And the recorded steps are:
        | site                   | kind     | exit |
        | put {folder}/bad#0     | artifact | 2    |
        | put {folder}/nothing#0 | artifact | 2    |
        | put ../up#0            | artifact | 2    |
        | put {folder}/good#0    | artifact | 0    |
        | sleep#0                | sleep    | 0    |
        | after#0                | step     | 0    |
      When I call "svc artifact ls {run} --json"
      Then standard output is JSON whose "artifacts.length" is "1"

    @contract
    Scenario: a step's body cannot store artifacts
      When I submit the script "inside.sh":
        """
        svc step body -- bash -c 'code=0; svc artifact put {folder} || code=$?; echo "put $code"'
        svc artifact put --help
        svc artifact --help | head -n 1
        """
      Then the run succeeds
      And the log has "put 1"
      And the log has "`svc artifact put` works only in a script run"
      And the log has "usage: svc artifact put <folder>|<file>"
      And 1 steps are recorded

    @contract
    Scenario: a rerun from a later site has the artifacts that were stored before it
      When I submit the script "twice.sh":
        """
        echo "$RANDOM" > {folder}/early.txt; svc artifact put {folder}/early.txt
        svc step check -- echo ok
        echo late > {folder}/late.txt; svc artifact put {folder}/late.txt
        """
      Then the run succeeds
      Given the run is called "first"
      When I rerun it from "check" as "second"
      Then the run succeeds
      When I call "svc artifact ls {run} --json"
      Then standard output is JSON whose "artifacts.0.path" is "early.txt"
      And standard output is JSON whose "artifacts.length" is "2"

  Rule: A script fetches artifacts of its run in each pass

    @contract
    Scenario: a pass after a wait fetches the files again, without a token
      When I submit the script "fetch.sh":
        """
        mkdir -p dist/lib; echo app > dist/app.js; echo lib > dist/lib/a.js
        svc artifact put dist; rm -r dist
        svc sleep 10ms
        cd "$(mktemp -d)"
        svc artifact get dist/lib
        svc step check -- cat dist/lib/a.js
        test ! -e dist/app.js
        svc artifact get --output all > paths
        svc output set paths="$(tr '\n' ' ' < paths)" app="$(svc artifact get dist/app.js --output -)"
        """
      Then the run succeeds
      And "output" of the run is '{"paths":"dist/app.js dist/lib/a.js ","app":"app"}'
      And the recorded steps are:
        | site       | kind     | exit |
        | put dist#0 | artifact | 0    |
        | sleep#0    | sleep    | 0    |
        | check#0    | step     | 0    |

  Rule: Artifacts are stored unchanged

    @AUTH-045
    Scenario: a secret that is masked in the log is not masked in an artifact
      Given the secret "API_KEY" is "canary-7f3a-in-plain-sight"
      When I submit the script "leak.sh":
        """
        echo "log: $API_KEY"
        echo "file: $API_KEY" > {folder}/report.txt
        svc artifact put {folder}/report.txt
        """
      Then the run succeeds
      And the log has "log: ***"
      And the log lacks "canary-7f3a-in-plain-sight"
      When I call "svc artifact get {run} report.txt --output -"
      Then standard output is "file: canary-7f3a-in-plain-sight"

    @AUTH-046 @own-server @configured
    Scenario: the server stores the file's exact bytes on disk
      Given a server and an agent of their own with:
        | SVC_ARTIFACTS | {folder}/stored |
      When I submit the script "plain.sh":
        """
        echo "readable on the disk" > {folder}/plain.txt
        svc artifact put {folder}/plain.txt
        """
      Then the run succeeds
      And a file below "stored" holds exactly "readable on the disk"
