# Hands one hook event (a JSON object on standard input) to Agent Console, by way of the folder "spool" beside this file.
# Prints nothing and always exits 0, so that it can never stop the agent. It waits for the end of its input and for nothing else, and
# needs milliseconds from there; a client that leaves its input open ends it at the time limit that it gives every hook.
$ErrorActionPreference = 'Stop'
$temp = $null
try {
  $stdin = [Console]::OpenStandardInput()
  # 32 KiB and the one byte more that tells of a longer text.
  $bytes = New-Object byte[] 32769
  $length = 0
  while ($length -lt $bytes.Length) {
    $read = $stdin.Read($bytes, $length, $bytes.Length - $length)
    if ($read -le 0) { break }
    $length += $read
  }
  # The client must be able to write everything it has to say.
  $rest = New-Object byte[] 65536
  while ($stdin.Read($rest, 0, $rest.Length) -gt 0) { }
  # What a hook of Agent Console itself starts is no news to it.
  if ($length -gt 0 -and -not $env:AGENT_CONSOLE_OUTGOING_HOOK) {
    $spool = [IO.Path]::Combine($PSScriptRoot, 'spool')
    [void][IO.Directory]::CreateDirectory($spool)
    # While no editor reads them, the newest 2,000 events stay.
    $names = [IO.Directory]::GetFiles($spool)
    if ($names.Length -ge 2000) {
      [Array]::Sort($names, [StringComparer]::Ordinal)
      for ($i = 0; $i -le $names.Length - 2000; $i++) { [IO.File]::Delete($names[$i]) }
    }
    $second = [DateTimeOffset]::UtcNow.ToUnixTimeSeconds()
    $temp = [IO.Path]::Combine($spool, "$second." + [Guid]::NewGuid().ToString('N'))
    $file = [IO.File]::Open($temp, [IO.FileMode]::CreateNew, [IO.FileAccess]::Write, [IO.FileShare]::None)
    try { $file.Write($bytes, 0, $length) } finally { $file.Dispose() }
    [IO.File]::Move($temp, "$temp.json")
    $temp = $null
  }
} catch { }
try { if ($temp) { [IO.File]::Delete($temp) } } catch { }
exit 0
